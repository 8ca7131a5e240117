import type { ReadingDesk } from './desk.ts';
import { openReading } from './open-desk.ts';
import { explainError } from './explain-error.ts';

/** Reads something from a store. No instance continues because of that. */
export async function readFromStore<Value>(
  folder: string,
  read: (desk: ReadingDesk) => Promise<Value>,
): Promise<Value> {
  try {
    const desk = await openReading(folder);
    try {
      return await read(desk);
    } finally {
      await desk.close();
    }
  } catch (error) {
    throw explainError(error, folder);
  }
}
