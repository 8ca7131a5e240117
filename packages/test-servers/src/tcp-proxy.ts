import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The side to which a byte is sent. */
export type Direction = 'server' | 'client';

/** The treatment of the bytes of a connection. */
type Weather =
  | { readonly type: 'passing' }
  | { readonly type: 'delayed'; readonly ms: number }
  /** Bytes wait, as in a temporarily interrupted network. */
  | { readonly type: 'held' }
  /** Bytes towards these sides are lost, and the connection stays open. */
  | { readonly type: 'swallowed'; readonly towards: readonly Direction[] }
  /** Half of the next bytes pass, then the connection is cut. */
  | { readonly type: 'halved' };

const passing: Weather = { type: 'passing' };

export interface TcpProxyOptions {
  /** The port of the server, on the loopback interface. */
  readonly port: number;
}

export interface BlackholeOptions {
  /** Both sides by default. Only towards the client: the server does its work, and its answers are lost. */
  readonly towards?: readonly Direction[];
  /** Whether new connections pass. False by default. */
  readonly newConnectionsPass?: boolean;
}

/**
 * A proxy between a client and a server on the loopback interface, which makes trouble for their connections: `cut`, `delay`,
 * `hold`, `halve`, `blackhole` and `refuse`. Each applies to open and new connections until the next one or `pass`.
 */
export class TcpProxy {
  readonly #target: number;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #weather: Weather = passing;
  #isRefusing = false;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
  }

  static async start({ port }: TcpProxyOptions): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  /** The port of the proxy. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#links.size;
  }

  /** Ends the trouble. A connection with lost bytes stays silent, because TCP never skips bytes. */
  pass(): void {
    this.#become(passing);
  }

  /** Resets all open connections. New ones are accepted. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /** Passes each byte after a time. */
  delay(ms: number): void {
    this.#become({ type: 'delayed', ms });
  }

  /** Keeps all bytes until `pass`. */
  hold(): void {
    this.#become({ type: 'held' });
  }

  /** Passes half of the next bytes of each connection, and then resets the connection. */
  halve(): void {
    this.#become({ type: 'halved' });
  }

  /** Loses all bytes without a sign: half-open connections. */
  blackhole(options: BlackholeOptions = {}): void {
    const { towards = ['server', 'client'], newConnectionsPass = false } = options;
    this.#become({ type: 'swallowed', towards });
    if (newConnectionsPass) this.#weather = passing;
  }

  /** Resets open connections, and each new one immediately. */
  refuse(): void {
    this.#isRefusing = true;
    this.cut();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #become(weather: Weather): void {
    this.#isRefusing = false;
    this.#weather = weather;
    for (const link of this.#links) link.become(weather);
  }

  #accept(client: Socket): void {
    if (this.#isRefusing) {
      reset(client);
      return;
    }
    const server = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true });
    const link = new Link(client, server, this.#weather);
    this.#links.add(link);
    link.whenEnded(() => this.#links.delete(link));
  }
}

/** A connection of a client, together with the connection to the server. States: open → cut. */
class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #lines: readonly Line[];

  constructor(client: Socket, server: Socket, weather: Weather) {
    this.#client = client;
    this.#server = server;
    const cut = () => this.cut();
    this.#lines = [
      new Line({ from: client, to: server, direction: 'server', weather, cut }),
      new Line({ from: server, to: client, direction: 'client', weather, cut }),
    ];
  }

  become(weather: Weather): void {
    for (const line of this.#lines) line.become(weather);
  }

  cut(): void {
    for (const line of this.#lines) line.stop();
    reset(this.#client);
    reset(this.#server);
  }

  whenEnded(ended: () => void): void {
    const both = new Set([this.#client, this.#server]);
    for (const socket of both)
      socket.once('close', () => {
        both.delete(socket);
        if (both.size === 0) ended();
      });
  }
}

interface LineOptions {
  readonly from: Socket;
  readonly to: Socket;
  readonly direction: Direction;
  readonly weather: Weather;
  readonly cut: () => void;
}

/** One direction of a connection. Owns the bytes that wait. */
class Line {
  readonly #options: LineOptions;
  #weather: Weather;
  /** The waiting bytes, in order. Undefined is the end of the stream. */
  #waiting: (Buffer | undefined)[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #hasLostBytes = false;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#weather = options.weather;
    const { from, cut } = options;
    from.on('data', (bytes) => this.#take(bytes));
    from.once('end', () => this.#take(undefined));
    // A reset of one side is passed on, unless the network is silent.
    from.once('error', () => {
      if (this.#weather.type !== 'swallowed' && this.#weather.type !== 'held') cut();
    });
  }

  become(weather: Weather): void {
    this.#weather = weather;
    this.#stopTimers();
    if (weather.type === 'held') return;
    for (const bytes of this.#waiting.splice(0)) this.#take(bytes);
  }

  stop(): void {
    this.#stopTimers();
    this.#waiting = [];
    this.#hasLostBytes = true;
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #take(bytes: Buffer | undefined): void {
    const { direction, to, cut } = this.#options;
    if (this.#hasLostBytes) return;
    const weather = this.#weather;
    switch (weather.type) {
      case 'held':
        this.#waiting.push(bytes);
        return;
      case 'swallowed':
        if (weather.towards.includes(direction)) this.#hasLostBytes = true;
        else this.#pass(bytes);
        return;
      case 'halved':
        if (bytes === undefined) this.#pass(undefined);
        else to.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => cut());
        this.#hasLostBytes = true;
        return;
      case 'delayed': {
        this.#waiting.push(bytes);
        const timer = setTimeout(() => {
          this.#timers.delete(timer);
          this.#pass(this.#waiting.shift());
        }, weather.ms);
        this.#timers.add(timer);
        return;
      }
      case 'passing':
        this.#pass(bytes);
    }
  }

  #pass(bytes: Buffer | undefined): void {
    const { to } = this.#options;
    if (this.#hasLostBytes || to.destroyed) return;
    if (bytes === undefined) to.end();
    else to.write(bytes);
  }
}

/** A socket that is sending its end cannot be reset: its handle would stay open, and the process could not exit. */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
