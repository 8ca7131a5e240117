import type { ReadingDesk } from './desk.ts';
import { explainFailures } from './explain-failures.ts';
import { openReading } from './open-desk.ts';

/** Reads something from a store. No instance continues because of that. */
export function readFromStore<Value>(
  folder: string,
  read: (desk: ReadingDesk) => Promise<Value>,
): Promise<Value> {
  return explainFailures(folder, async () => {
    const desk = await openReading(folder);
    try {
      return await read(desk);
    } finally {
      await desk.close();
    }
  });
}
