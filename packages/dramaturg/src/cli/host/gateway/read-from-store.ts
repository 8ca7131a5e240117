import type { ReadingGateway } from './gateway.ts';
import { explainFailures } from './explain-failures.ts';
import { openReading } from './open-gateway.ts';

/** Reads something from a store. No instance continues because of that. */
export function readFromStore<Value>(
  folder: string,
  read: (gateway: ReadingGateway) => Promise<Value>,
): Promise<Value> {
  return explainFailures(folder, async () => {
    const gateway = await openReading(folder);
    try {
      return await read(gateway);
    } finally {
      await gateway.close();
    }
  });
}
