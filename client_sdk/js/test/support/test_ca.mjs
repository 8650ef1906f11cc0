// A certificate authority for tests of TLS, and a certificate that it signs for localhost and 127.0.0.1, as
// files in a folder. The program openssl makes them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";

const kKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"];

function openssl(...args) {
  return execFileSync("openssl", args, { stdio: ["ignore", "pipe", "pipe"] });
}

/** Paths of the certificates and the key, the authority's certificate, and the digest of its public key. */
export function makeAuthority(folder) {
  const at = (name) => join(folder, name);
  openssl(
    "req",
    "-x509",
    ...kKey,
    "-days",
    "2",
    "-subj",
    "/CN=Takt test authority",
    "-keyout",
    at("ca.key"),
    "-out",
    at("ca.pem"),
  );
  openssl("req", ...kKey, "-subj", "/CN=localhost", "-keyout", at("server.key"), "-out", at("server.csr"));
  writeFileSync(at("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  openssl(
    "x509",
    "-req",
    "-in",
    at("server.csr"),
    "-CA",
    at("ca.pem"),
    "-CAkey",
    at("ca.key"),
    "-days",
    "2",
    "-extfile",
    at("names"),
    "-out",
    at("own.pem"),
  );
  const authority = readFileSync(at("ca.pem"), "utf8");
  writeFileSync(at("server.pem"), readFileSync(at("own.pem"), "utf8") + authority);
  const publicKey = new X509Certificate(authority).publicKey.export({ type: "spki", format: "der" });
  return {
    authority,
    publicKeyDigest: createHash("sha256").update(publicKey).digest("base64"),
    serverArguments: ["--tls-cert", at("server.pem"), "--tls-key", at("server.key")],
  };
}
