import type { ReadingDesk } from './desk.ts';
import { openReading } from './open-desk.ts';
import { told } from '../transport/failure.ts';

/** Looks at a store. Nothing in it goes on because of that. */
export async function look<Value>(
  folder: string,
  command: string,
  read: (desk: ReadingDesk) => Promise<Value>,
): Promise<Value> {
  try {
    const desk = await openReading(folder, command);
    try {
      return await read(desk);
    } finally {
      await desk.close();
    }
  } catch (error) {
    throw told(error, folder);
  }
}
