// takt/node: the part of the SDK that needs Node. new Client(tcp("tcp://127.0.0.1:7777")).
export { tcpTransport as tcp } from "./tcp_transport.js";
