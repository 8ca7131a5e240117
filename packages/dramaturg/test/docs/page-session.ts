import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '@dramaturg/test-servers';
import { onTestFinished } from 'vitest';
import { dramaturg, environment } from '../command.ts';
import { until } from '../host-cli/processes.ts';
import { root } from './blocks.ts';

const portInText = /(?<=127\.0\.0\.1:|listen\()\d{4}/g;

/**
 * The address of a registry that has the packed packages, in `npm run test:packed`. The folder of a page is then empty until the
 * page installs packages.
 */
export const registry = process.env['DRAMATURG_REGISTRY'];

/** A person who follows a page: in a folder of their own, with our packages installed. Each port of the page is a free one. */
export class PageSession {
  readonly folder: string;
  readonly #ports = new Map<string, string>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** With `examples`, the folder has a copy of docs/examples. */
  static async begin({ examples = false } = {}): Promise<PageSession> {
    const folder = await mkdtemp(join(tmpdir(), 'dramaturg-page-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    if (!registry) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    if (examples)
      await cp(join(root, 'docs/examples'), join(folder, 'docs/examples'), { recursive: true });
    return new PageSession(folder);
  }

  async write(file: string, text: string): Promise<void> {
    const path = join(this.folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await this.#withFreePorts(text));
  }

  /** Runs a command to its end. @returns what it prints, without what differs in each run */
  async run(command: string): Promise<{ readonly code: number | null; readonly printed: string }> {
    const own = await this.#withFreePorts(command);
    const words = /^npx dramaturg ([^|<>;&$\\]*)$/.exec(own)?.[1];
    const { code, stdout, stderr } =
      words === undefined || registry
        ? await ended(this.#spawn(own))
        : await dramaturg(wordsOf(words), { cwd: this.folder });
    return { code, printed: this.#comparable(stdout + stderr) };
  }

  /** Starts a command that goes on until the page ends, and waits until it has said that it is ready. */
  async start(command: string): Promise<void> {
    const child = this.#spawn(await this.#withFreePorts(command));
    let said = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    });
    const ready = command.includes('dramaturg serve') ? 'Ctrl+C' : '\n';
    await until(() => said.includes(ready) || child.exitCode !== null);
    if (!said.includes(ready)) throw new Error(`"${command}" has ended: ${said}`);
  }

  #spawn(command: string): ChildProcess {
    const bin = join(this.folder, 'node_modules/dramaturg/bin/dramaturg.js');
    const line = command
      .replace(/^((?:\w+=\S+ )*)/, '$1exec ')
      .replace('exec npx dramaturg', `exec "$NODE" "${bin}"`)
      .replace('exec node ', 'exec "$NODE" --no-warnings ');
    const text = /[|\n]|&&/.test(line) ? command : line;
    return spawn('sh', ['-c', text], {
      cwd: this.folder,
      env: environment({
        NODE: process.execPath,
        PATH: `${join(registry ? this.folder : root, 'node_modules/.bin')}:${process.env['PATH']}`,
        ...(registry && { npm_config_registry: registry }),
      }),
    });
  }

  async #withFreePorts(text: string): Promise<string> {
    for (const [port] of text.matchAll(portInText))
      if (!this.#ports.has(port)) this.#ports.set(port, String(await freePort()));
    return text.replaceAll(portInText, (port) => this.#ports.get(port)!);
  }

  #comparable(printed: string): string {
    let text = printed.replaceAll(this.folder, '.');
    for (const [shown, port] of this.#ports)
      text = text.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${shown}`);
    return timeless(text);
  }
}

const idOfPages = '3f2a8c1e-5b7d-4e90-a6c4-2d18f0b93e57';
const hashOfPages = 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2';

/** Replaces what differs in each run: times, durations, random ids, hashes and versions of charts. */
function timeless(printed: string): string {
  return printed
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-03-02T09:30:00.000Z')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '2026-03-02 09:30:00')
    .replaceAll(/\d+ (?:s|min) ago/g, (found) => 'now'.padEnd(found.length))
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, idOfPages)
    .replaceAll(/\b[0-9a-f]{64}\b/g, hashOfPages)
    .replaceAll(/in \d+ min/g, 'in 30 min')
    .replaceAll(/ [\d.,]+ (ms|s)$/gm, ' 12 ms')
    .replaceAll(/, \d+\.\d s\.$/gm, ', 0.2 s.')
    .replaceAll(/version [0-9a-f]{16}/g, 'version 06117c9b4d4f0e6c');
}

function wordsOf(line: string): readonly string[] {
  return Array.from(
    line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g),
    ([word, single, double]) => single ?? double ?? word,
  );
}

async function ended(child: ChildProcess) {
  const [stdout, stderr] = [[], []] as [string[], string[]];
  child.stdout!.setEncoding('utf8').on('data', (text: string) => stdout.push(text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}
