import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The counters in `struct control` of disk-faults.c, in its order. */
const kinds = [
  'failed reads',
  'failed writes',
  'short writes',
  'torn writes',
  'failed flushes',
  'failed renames',
  'failed opens',
  'failed removals',
  'failed truncations',
] as const;

const compilers = ['cc', 'gcc', 'clang'];
const source = fileURLToPath(new URL('disk-faults.c', import.meta.url));

/** The reason why faults cannot be injected here; undefined if they can. */
export function whyNoFaults(): string | undefined {
  if (process.platform !== 'linux')
    return 'Disk faults are injected by LD_PRELOAD, which needs Linux.';
  if (compiler() === undefined) return `There is no C compiler (${compilers.join(', ')}).`;
  return undefined;
}

function compiler(): string | undefined {
  return compilers.find((name) => spawnSync(name, ['--version']).status === 0);
}

/** The compiled library that injects faults, and the memory that it shares with the processes that load it. */
export class FaultLibrary {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dramaturg-faults-'));
  readonly #control = join(this.#folder, 'control');

  /** @throws Error if the library cannot be compiled */
  constructor() {
    const args = ['-shared', '-fPIC', '-O2', '-o', this.#library, source, '-ldl', '-lpthread'];
    const { status, stderr } = spawnSync(compiler()!, args);
    if (status !== 0) throw new Error(`The faults could not be compiled: ${stderr.toString()}`);
    this.#write(Buffer.alloc(4 * (kinds.length + 1)), 'w');
  }

  /** The environment of a process with faults: while they are on, one in `every` calls on the files of a folder fails. */
  environment(folder: string, seed: number, every: number): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: this.#library,
      FAULTS_FOLDER: folder,
      FAULTS_CONTROL: this.#control,
      FAULTS_SEED: String(seed),
      FAULTS_EVERY: String(every),
    };
  }

  /** The environment of a process without faults whose changes to a folder are recorded in a file. */
  tracing(folder: string, trace: string): NodeJS.ProcessEnv {
    return { ...this.environment(folder, 1, 1), FAULTS_TRACE: trace };
  }

  enable(isOn: boolean): void {
    const flag = Buffer.alloc(4);
    flag.writeUInt32LE(isOn ? 1 : 0);
    this.#write(flag, 'r+');
  }

  /** The number of faults so far, by kind. */
  get counts(): Readonly<Record<string, number>> {
    const bytes = readFileSync(this.#control);
    return Object.fromEntries(kinds.map((kind, at) => [kind, bytes.readUInt32LE(4 * (at + 1))]));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #library(): string {
    return join(this.#folder, 'disk-faults.so');
  }

  #write(bytes: Buffer, flags: string): void {
    const file = openSync(this.#control, flags);
    writeSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
  }
}
