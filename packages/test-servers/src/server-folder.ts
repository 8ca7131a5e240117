import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder with the data of a server: a given one, or a temporary one that is removed with the server. */
export class ServerFolder {
  readonly path: string;
  readonly #isTemporary: boolean;

  /** @param name the beginning of the name of a temporary folder */
  constructor(name: string, given: string | undefined) {
    this.#isTemporary = given === undefined;
    if (this.#isTemporary) removeAbandoned(name);
    this.path = given ?? mkdtempSync(join(tmpdir(), `${name}-${process.pid}-`));
  }

  /** Removes a temporary folder, once its server has been killed. */
  remove(): void {
    if (this.#isTemporary) removeFolder(this.path);
  }
}

/** A process that was killed leaves its folder, which can have gigabytes. */
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
