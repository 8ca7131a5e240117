import { freePort } from './free-port.ts';
import { installedPath, whyNotInShortTests, whyNotInstalled } from './installed.ts';
import { ServerError, ServerProcess } from './server-process.ts';
import { ServerFolder } from './postgres.ts';

export interface RestateOptions {
  /** The folder of the data. When left out, a temporary one that is removed at the end. */
  readonly folder?: string;
  /** Additional environment variables: `RESTATE_…` settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** Free ports by default. */
  readonly ports?: RestatePorts;
}

export interface RestatePorts {
  /** The port for calls. */
  readonly ingress: number;
  /** The port for registrations and queries. */
  readonly admin: number;
  /** The port for the other nodes of a cluster. */
  readonly node: number;
}

export async function freeRestatePorts(): Promise<RestatePorts> {
  return { ingress: await freePort(), admin: await freePort(), node: await freePort() };
}

/**
 * The reason why no Restate server can be started here, with the next thing to do; undefined when one can be started. Installs it
 * if needed.
 */
export function whyNoRestate(): string | undefined {
  const { platform, arch } = process;
  if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch))
    return `There is no restate-server for ${platform} on ${arch}.`;
  return whyNotInShortTests() ?? whyNotInstalled(restateProgram());
}

let shared: Promise<RestateServer> | undefined;

/**
 * A server for all tests of a file. Each test uses names of its own, no test can stop it for the others, and it does not flush. It
 * ends with the file, because an idle server takes 3 % of a core.
 */
export function sharedRestate(): Promise<Omit<RestateServer, 'stop' | 'restart'>> {
  return (shared ??= RestateServer.start({
    env: { RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_FSYNC: 'true' },
  }));
}

/** Ends the shared server, if there is one. The next use starts another. */
export async function endSharedRestate(): Promise<void> {
  const ending = shared;
  shared = undefined;
  await (await ending)?.stop();
}

/** One restate-server of one node that listens on the loopback interface. */
export class RestateServer {
  /** URL for calls. */
  readonly ingress: string;
  /** URL for registrations and queries. */
  readonly admin: string;
  readonly #ports: RestatePorts;
  readonly #folder: ServerFolder;
  readonly #env: Readonly<Record<string, string>>;
  #process!: ServerProcess;

  private constructor(ports: RestatePorts, { folder, env = {} }: RestateOptions) {
    this.#ports = ports;
    this.ingress = `http://127.0.0.1:${ports.ingress}`;
    this.admin = `http://127.0.0.1:${ports.admin}`;
    this.#folder = new ServerFolder('restate', folder);
    this.#env = env;
  }

  /** @throws ServerError `server/missing`, `server/failed` */
  static async start(options: RestateOptions = {}): Promise<RestateServer> {
    const reason = whyNoRestate();
    if (reason !== undefined) throw new ServerError('server/missing', reason);
    const server = new RestateServer(options.ports ?? (await freeRestatePorts()), options);
    await server.restart();
    return server;
  }

  get process(): ServerProcess {
    return this.#process;
  }

  /** Starts the server again, on the same ports and data, after `process.end`. */
  async restart(): Promise<void> {
    const { ingress, admin, node } = this.#ports;
    this.#process = await ServerProcess.start({
      name: 'restate-server',
      program: restateProgram(),
      arguments: [],
      options: {
        cwd: this.#folder.path,
        env: {
          ...process.env,
          RESTATE_BASE_DIR: this.#folder.path,
          RESTATE_LISTEN_MODE: 'tcp',
          RESTATE_BIND_IP: '127.0.0.1',
          RESTATE_BIND_PORT: String(node),
          RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
          RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
          RESTATE_DISABLE_TELEMETRY: 'true',
          RESTATE_DEFAULT_NUM_PARTITIONS: '2',
          RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MB',
          DO_NOT_TRACK: '1',
          ...this.#env,
        },
      },
      isReady: async () =>
        (await answers(`${this.ingress}/restate/health`)) &&
        (await answers(`${this.admin}/health`)),
      onExit: () => this.#folder.remove(),
    });
  }

  /** Ends the server, and removes its data unless the folder was given. */
  async stop(): Promise<void> {
    await this.#process.end('SIGKILL');
    this.#folder.remove();
  }
}

/** The program of the installed server, for callers that start it themselves. */
export function restateProgram(): string {
  const { platform, arch } = process;
  return installedPath(`@restatedev/restate-server-${platform}-${arch}/bin/restate-server`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    return ok;
  } catch {
    return false;
  }
}
