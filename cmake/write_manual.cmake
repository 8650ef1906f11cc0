# Writes the manual pages and the completion scripts that PROGRAM (takt, after its emulator if it is of another machine) prints, into
# DIRECTORY, in the folders of an installation's share/.
file(REMOVE_RECURSE "${DIRECTORY}")
file(MAKE_DIRECTORY "${DIRECTORY}/man/man1" "${DIRECTORY}/bash-completion/completions" "${DIRECTORY}/zsh/site-functions"
  "${DIRECTORY}/fish/vendor_completions.d")

function(print_to file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE "${DIRECTORY}/${file}" ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " arguments)
    message(FATAL_ERROR "takt ${arguments} ended with ${result}: ${errors}")
  endif()
endfunction()

print_to(pages.txt man --list)
file(STRINGS "${DIRECTORY}/pages.txt" pages)
file(REMOVE "${DIRECTORY}/pages.txt")
foreach(page IN LISTS pages)
  if(page STREQUAL takt)
    print_to(man/man1/takt.1 man)
  else()
    print_to(man/man1/takt-${page}.1 man ${page})
  endif()
endforeach()
print_to(bash-completion/completions/takt completion bash)
print_to(zsh/site-functions/_takt completion zsh)
print_to(fish/vendor_completions.d/takt.fish completion fish)
