import { createReadStream } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Channel, RejectedError } from '../channel/channel.ts';
import { header } from './entry.ts';
import { RecordingError } from './recording.ts';

/** The result of an erase in a folder of recordings. */
export interface ErasedRecordings {
  /** How many recordings of the contact were deleted. */
  readonly recordings: number;
  /** How many recordings name no contact, so that only a person can say whom they are about. */
  readonly unlabelled: number;
}

/**
 * Deletes the recordings of a contact in a folder and its subfolders: those that were made with `contact`. Other files and other
 * recordings stay.
 *
 * @param channel defines how contacts are written; without it they are compared unchanged
 * @throws RecordingError `recording/unusable` when the folder cannot be read
 *
 * @example
 * ```ts
 * const file = recordingFile('ada.recording');
 * const recording = record({ write: file.write, chart: pricing.chart!, input: {}, contact: 'ada' });
 * await recording.finish();
 * file.close();
 * const { recordings } = await eraseRecordings('.', 'ada');
 * console.log(recordings); // → 1
 * ```
 */
export async function eraseRecordings(
  folder: string,
  contact: string,
  { contactKey = String }: Pick<Channel, 'contactKey'> = {},
): Promise<ErasedRecordings> {
  const key = contactKey(contact);
  let [recordings, unlabelled] = [0, 0];
  for (const file of await filesIn(folder)) {
    const head = header.safeParse(await firstLineOf(file));
    if (!head.success) continue;
    const { contact: about } = head.data;
    if (about === undefined) unlabelled += 1;
    else if (about === contact || keyOf(about) === key) {
      await unlink(file);
      recordings += 1;
    }
  }
  return { recordings, unlabelled };

  function keyOf(about: string): string | undefined {
    try {
      return contactKey(about);
    } catch (error) {
      if (error instanceof RejectedError) return undefined;
      throw error;
    }
  }
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch (cause) {
    throw new RecordingError(
      'recording/unusable',
      `The folder "${folder}" with recordings cannot be read: ${(cause as Error).message}.`,
      'Name the folder in which recordings are kept.',
    );
  }
}

/** The first line as JSON; undefined when it is not JSON. */
async function firstLineOf(file: string): Promise<unknown> {
  const stream = createReadStream(file, { encoding: 'utf8' });
  try {
    for await (const line of createInterface({ input: stream })) return JSON.parse(line);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  } finally {
    stream.destroy();
  }
  return undefined;
}
