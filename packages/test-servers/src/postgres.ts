import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { whyNotInShortTests } from './installed.ts';
import { type ServerCommand, ServerError, ServerProcess } from './server-process.ts';

export interface PostgresOptions {
  /** The folder of the data. When left out, a temporary one that is removed at the end. */
  readonly folder?: string;
  /** Settings of the server, such as `{ fsync: 'off' }`. By default it flushes as in production. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The reason why no Postgres server can be started here, with the next thing to do; undefined when one can be started. */
export function whyNoPostgres(): string | undefined {
  if (process.platform === 'win32') return 'The tests start Postgres on Linux and macOS only.';
  if (programsFolder() !== undefined) return whyNotInShortTests();
  return 'Postgres is not installed: install version 15 or later, such as with "apt-get install postgresql".';
}

/** A part of a server's error while processes of a killed server have not ended yet. */
const orphansHold = 'pre-existing shared memory block';

/** How long the processes of a killed server may take to end, in milliseconds. */
const orphansEndWithinMs = 30_000;

let shared: Promise<PostgresServer> | undefined;

/**
 * A server for all tests of this process, without flushes. Each test creates a database of its own. It ends with the process, and
 * no test can stop it for the others.
 */
export function sharedPostgres(): Promise<Omit<PostgresServer, 'stop' | 'restart'>> {
  return (shared ??= PostgresServer.start({ settings: { fsync: 'off', full_page_writes: 'off' } }));
}

/** A Postgres server that listens on the loopback interface and trusts every client there. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: ServerFolder;
  readonly #settings: Readonly<Record<string, string>>;
  #process!: ServerProcess;

  private constructor(port: number, { folder, settings = {} }: PostgresOptions) {
    this.port = port;
    this.#folder = new ServerFolder('postgres', folder);
    this.#settings = settings;
  }

  /** @throws ServerError `server/missing`, `server/failed` */
  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), options);
    server.#initialise();
    await server.restart();
    return server;
  }

  get process(): ServerProcess {
    return this.#process;
  }

  /** @param the port of a proxy, instead of the port of the server */
  url(database = 'postgres', port = this.port): string {
    return `postgres://postgres@127.0.0.1:${port}/${database}`;
  }

  /** Creates an empty database with a unique name. */
  createDatabase(): { readonly name: string; readonly url: string } {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    this.#runProgram('createdb', [
      '-h',
      '127.0.0.1',
      '-p',
      String(this.port),
      '-U',
      'postgres',
      // Takes a third of the processor time of a copy through the log.
      '--strategy=file_copy',
      name,
    ]);
    return { name, url: this.url(name) };
  }

  /** Starts the server again, on the same port and data, after `process.end`. */
  async restart(): Promise<void> {
    const settings = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      // The memory of a killed server is removed with its folder.
      dynamic_shared_memory_type: 'mmap',
      ...this.#settings,
    };
    const command: ServerCommand = {
      name: 'Postgres',
      program: join(requiredPrograms(), 'postgres'),
      arguments: [
        '-D',
        this.#folder.path,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      options: { ...asUser(), cwd: this.#folder.path },
      isReady: () => this.#isReady(),
      onExit: () => this.#folder.remove(),
    };
    const giveUpAt = Date.now() + orphansEndWithinMs;
    for (;;) {
      // A killed server leaves this file.
      rmSync(join(this.#folder.path, 'postmaster.pid'), { force: true });
      try {
        this.#process = await ServerProcess.start(command);
        return;
      } catch (error) {
        const hasOrphans = error instanceof ServerError && error.message.includes(orphansHold);
        if (!hasOrphans || Date.now() > giveUpAt) throw error;
        await pause(100);
      }
    }
  }

  /** Ends the server, and removes its data unless the folder was given. */
  async stop(): Promise<void> {
    await this.#process.end('SIGKILL');
    this.#folder.remove();
  }

  #initialise(): void {
    const user = asUser();
    mkdirSync(this.#folder.path, { recursive: true });
    if (user.uid !== undefined) chownSync(this.#folder.path, user.uid, user.gid!);
    if (existsSync(join(this.#folder.path, 'PG_VERSION'))) return;
    this.#runProgram('initdb', [
      '-D',
      this.#folder.path,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ]);
  }

  async #isReady(): Promise<boolean> {
    if (!(await accepts(this.port))) return false;
    const { status } = spawnSync(join(requiredPrograms(), 'pg_isready'), [
      '-q',
      '-h',
      '127.0.0.1',
      '-p',
      String(this.port),
    ]);
    return status === 0;
  }

  #runProgram(program: string, options: readonly string[]): void {
    const { status, stderr, error } = spawnSync(join(requiredPrograms(), program), options, {
      ...asUser(),
      cwd: this.#folder.path,
      encoding: 'utf8',
    });
    if (status !== 0)
      throw new ServerError('server/failed', `${program} failed: ${error?.message ?? stderr}`);
  }
}

function requiredPrograms(): string {
  const folder = programsFolder();
  if (folder === undefined) throw new ServerError('server/missing', whyNoPostgres()!);
  return folder;
}

let programs: { readonly folder: string | undefined } | undefined;

/** The folder of the server's programs, which distributions keep outside the search path. */
function programsFolder(): string | undefined {
  programs ??= { folder: foldersToSearch().find((folder) => existsSync(join(folder, 'initdb'))) };
  return programs.folder;
}

function foldersToSearch(): string[] {
  const ofDebian = globSync('/usr/lib/postgresql/*/bin').toSorted((one, other) =>
    other.localeCompare(one, 'en', { numeric: true }),
  );
  return [...ofDebian, ...(process.env['PATH'] ?? '').split(':').filter(Boolean)];
}

let user: { readonly uid?: number; readonly gid?: number } | undefined;

/** The user to run as, because Postgres refuses to run as root. */
function asUser() {
  const idOf = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return (user ??= process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {});
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

/** The data folder of a server: a given one, or a temporary one that is removed with the server. */
export class ServerFolder {
  readonly path: string;
  readonly #isTemporary: boolean;

  /** @param name the beginning of the name of a temporary folder */
  constructor(name: string, given: string | undefined) {
    this.#isTemporary = given === undefined;
    if (this.#isTemporary) removeAbandoned(name);
    this.path = given ?? mkdtempSync(join(tmpdir(), `${name}-${process.pid}-`));
  }

  /** Removes a temporary folder, after its server was killed. */
  remove(): void {
    if (this.#isTemporary) removeFolder(this.path);
  }
}

/** Removes folders of killed processes, which can have gigabytes. */
function removeAbandoned(name: string): void {
  const folders = readdirSync(tmpdir()).filter((each) => each.startsWith(`${name}-`));
  for (const folder of folders) {
    const [, owner] = /-(\d+)-\w+$/.exec(folder) ?? [];
    if (owner !== undefined && !isAlive(Number(owner))) removeFolder(join(tmpdir(), folder));
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20 });
}
