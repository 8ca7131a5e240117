import { checksum } from '../checksum.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { systemCodeOf } from '../errors.ts';
import type { Mark } from './mark.ts';

/**
 * The content of the file `-mark`: the frames of a log that the device has, written after each flush. It proves how far the log
 * reached. It is not flushed itself: after a power cut it may be too low, or belong to an earlier log, which does no harm.
 */
export interface LogMark extends Pick<Mark, 'base' | 'token'> {
  readonly frames: number;
}

export function formatLogMark({ base, token, frames }: LogMark): string {
  const text = `${base} ${token} ${String(frames).padStart(10, '0')}`;
  return `${text} ${checksum(text)}\n`;
}

/** @returns undefined without a mark, and for a mark that a power cut has torn */
export async function logMarkIn(
  path: string,
  files: Pick<FileSystem, 'readFile'>,
): Promise<LogMark | undefined> {
  try {
    const text = (await files.readFile(`${path}-mark`)).toString('latin1');
    const [base = '', token = '', frames] = text.split(' ');
    const mark = { base, token, frames: Number(frames) };
    return formatLogMark(mark) === text ? mark : undefined;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Whether the log has every frame that its mark proves.
 *
 * @param frames the number of frames up to the last commit
 * @param own the mark of the owner, in the database
 * @param newest the mark of the owner, in the database and its log
 */
export function isLogComplete(
  mark: LogMark | undefined,
  frames: number,
  own: Mark,
  newest: Mark,
): boolean {
  if (mark?.token === newest.token) return frames === 0 || frames >= mark.frames;
  // The log of the mark follows this state of the database, and is missing.
  return mark?.base !== own.token;
}
