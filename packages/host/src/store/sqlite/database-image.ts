import type { FileSystem, OpenFile } from '../disk/file-system.ts';
import type { LogFile } from './log-file.ts';

/** The fields of the header of a database file (https://sqlite.org/fileformat2.html#the_database_header). */
export interface DatabaseHeader {
  readonly pageSize: number;
  readonly pageCount: number;
  readonly applicationId: number;
  readonly userVersion: number;
  /** Whether the database is in WAL mode, in which it cannot be read without writing next to it. */
  readonly usesLog: boolean;
}

const headerSize = 100;
const magic = Buffer.from('SQLite format 3\0');

/** @returns undefined when the file is not a database */
export async function readHeader(file: OpenFile): Promise<DatabaseHeader | undefined> {
  const header = await file.read(0, headerSize);
  if (header.length < headerSize || !header.subarray(0, magic.length).equals(magic))
    return undefined;
  const pageSize = header.readUInt16BE(16);
  return {
    pageSize: pageSize === 1 ? 65_536 : pageSize,
    pageCount: header.readUInt32BE(28),
    userVersion: header.readUInt32BE(60),
    applicationId: header.readUInt32BE(68),
    usesLog: header[18] === 2,
  };
}

/**
 * Builds a database in memory from a file and its log, without any lock and without changing a file.
 *
 * @param log the log to apply
 * @param pagesMax the number of pages to read from the beginning
 */
export async function readImage(
  files: Pick<FileSystem, 'open'>,
  path: string,
  { pageSize, pageCount: ownPages }: DatabaseHeader,
  log: LogFile | undefined,
  pagesMax = Infinity,
): Promise<Buffer> {
  const pageCount = Math.min(log?.pageCount ?? ownPages, pagesMax);
  const image = Buffer.alloc(pageCount * pageSize);
  await withFile(files, path, async (file) => {
    for (let at = 0; at < image.length; at += sliceSize) {
      const slice = await file.read(at, Math.min(sliceSize, image.length - at));
      if (slice.length === 0) break;
      slice.copy(image, at);
    }
  });
  if (log !== undefined && log.pages.size > 0) {
    await withFile(files, `${path}-wal`, async (file) => {
      for (const [page, offset] of log.pages) {
        if (page <= pageCount)
          (await file.read(offset, pageSize)).copy(image, (page - 1) * pageSize);
      }
    });
  }
  // A database in memory cannot be in WAL mode, and must have as many pages as its header says.
  image.fill(1, 18, 20);
  image.writeUInt32BE(pageCount, 28);
  image.copy(image, 92, 24, 28);
  return image;
}

/** The number of bytes in one read. */
const sliceSize = 1 << 20;

export async function withFile<Value>(
  files: Pick<FileSystem, 'open'>,
  path: string,
  use: (file: OpenFile) => Promise<Value>,
): Promise<Value> {
  const file = await files.open(path, 'read');
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
