// takt/node: what only Node can do. new Client(tcp("tcp://127.0.0.1:7777")).
export { tcpTransport as tcp } from "./tcp_transport.js";
