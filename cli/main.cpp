// The program takt: takt_main() without games of its own.
#include "takt/cli/takt_main.h"

int main(int argc, char** argv) { return takt::cli::takt_main(argc, argv); }
