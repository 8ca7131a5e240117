import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** The behaviour of the collector towards a request, and whether it keeps the spans. */
export type CollectorBehaviour =
  | 'accepts'
  | 'is slow'
  | 'answers garbage'
  | 'refuses for now'
  | 'refuses for good'
  | 'fails'
  | 'cuts the connection before it has the spans'
  | 'cuts the connection after it has the spans'
  | 'never answers';

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** A substitute for a collector: it speaks OTLP over HTTP, with JSON, on the loopback interface. */
export class Collector {
  readonly spans: ReceivedSpan[] = [];
  /** The names of the metrics that it has received. */
  readonly metrics = new Set<string>();
  requests = 0;
  /** The headers of the last request. */
  headers: IncomingHttpHeaders = {};
  /** The bodies of the requests with kept spans. */
  readonly bodies: string[] = [];
  /** Called when the spans of a request are kept, before the answer. */
  onRequest: () => void = () => {};
  behaviour: CollectorBehaviour = 'accepts';
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      this.headers = request.headers;
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => this.#take(Buffer.concat(parts).toString(), response));
    });
  }

  static async start(port = 0): Promise<Collector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new Collector(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ids of spans that it has received more than once. */
  get twice(): string[] {
    const seen = new Set<string>();
    return this.spans.flatMap(({ spanId }) => {
      if (seen.has(spanId)) return [spanId];
      seen.add(spanId);
      return [];
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #take(body: string, response: ServerResponse): void {
    this.requests += 1;
    switch (this.behaviour) {
      case 'accepts':
        this.#keep(body);
        this.onRequest();
        return void response.setHeader('content-type', 'application/json').end('{}');
      case 'is slow':
        this.#keep(body);
        return void setTimeout(() => response.end('{}'), 300).unref();
      case 'answers garbage':
        this.#keep(body);
        return void response.end('<html>\u0000 { not json');
      case 'refuses for now':
        return void response.writeHead(503).end();
      case 'refuses for good':
        return void response.writeHead(400).end('bad data');
      case 'fails':
        return void response.writeHead(500).end('<html>');
      case 'cuts the connection before it has the spans':
        return void response.destroy();
      case 'cuts the connection after it has the spans':
        this.#keep(body);
        return void response.destroy();
      case 'never answers':
    }
  }

  #keep(body: string): void {
    this.bodies.push(body);
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body) as {
      resourceSpans?: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
      resourceMetrics?: { scopeMetrics: { metrics: { name: string }[] }[] }[];
    };
    for (const { scopeSpans } of resourceSpans)
      for (const { spans } of scopeSpans) this.spans.push(...spans);
    for (const { scopeMetrics } of resourceMetrics)
      for (const { metrics } of scopeMetrics)
        for (const { name } of metrics) this.metrics.add(name);
  }
}
