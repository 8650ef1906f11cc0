// Starts the viewer: connects to the server that served this page and draws until the page is closed.
//
// Parameters of the address: theme=light|dark; quality=high (maximum quality at any cost);
// camera=ex,ey,ez,tx,ty,tz (m); bare=1 (the world alone, for pictures); name=... (of the player); play=1
// (joins as a player at once; else the viewer watches until somebody grabs or throws a thing); hold=1
// (window.takt draws frames on demand). The fragment #token=takt1_... has a connect token.
import { Client } from "takt";
import { exposeHook } from "./hook.js";
import { takeToken } from "./token_form.js";
import { Viewer } from "./viewer.js";

function parseCamera(text: string | null): number[] | null {
  const numbers = (text ?? "").split(",").map(Number);
  return numbers.length === 6 && numbers.every(Number.isFinite) && text !== "" ? numbers : null;
}

function isSet(parameters: URLSearchParams, name: string): boolean {
  return (parameters.get(name) ?? "") !== "";
}

function start(): void {
  const parameters = new URLSearchParams(location.search);
  const token = takeToken();
  if (isSet(parameters, "bare")) document.documentElement.dataset.bare = "";
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const client = new Client(`${scheme}://${location.host}/ws`, {
    playerName: parameters.get("name") ?? "viewer",
    spectate: !isSet(parameters, "play"),
    reconnect: true,
    token,
  });
  const viewer = new Viewer({
    client,
    theme: parameters.get("theme"),
    quality: parameters.get("quality") === "high" ? "high" : "auto",
    camera: parseCamera(parameters.get("camera")),
    isPicture: isSet(parameters, "bare"),
  });
  exposeHook(client, viewer);
  client.connect();
  window.addEventListener("pagehide", (event) => {
    if (!event.persisted) client.close();
  });
  if (isSet(parameters, "hold")) return;
  const frame = (nowMs: number) => {
    viewer.frame(nowMs);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

try {
  start();
} catch (error) {
  const banner = document.getElementById("banner")!;
  banner.dataset.kind = "bad";
  banner.hidden = false;
  const why = error instanceof Error ? error.message : String(error);
  banner.textContent = `The viewer cannot start: ${why}. It needs a browser with WebGL 2.`;
}
