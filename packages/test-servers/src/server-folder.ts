import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder with the data of a server: a given one, or a temporary one that is removed with the server. */
export class ServerFolder {
  readonly path: string;
  readonly #isTemporary: boolean;

  /** @param name the beginning of the name of a temporary folder */
  constructor(name: string, given: string | undefined) {
    this.#isTemporary = given === undefined;
    this.path = given ?? mkdtempSync(join(tmpdir(), `${name}-`));
  }

  /** Removes a temporary folder, once its server has been killed. */
  remove(): void {
    if (this.#isTemporary) rmSync(this.path, { recursive: true, force: true, maxRetries: 20 });
  }
}
