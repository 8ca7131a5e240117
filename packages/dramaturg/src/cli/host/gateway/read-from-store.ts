import type { ReadingGateway } from './gateway.ts';
import { explainFailures } from './explain-failures.ts';
import { openReading } from './open-gateway.ts';

/**
 * Reads something from a store. No instance continues because of that.
 *
 * @param channel the one in whose form the contact of the command is written
 */
export function readFromStore<Value>(
  folder: string,
  read: (gateway: ReadingGateway) => Promise<Value>,
  channel?: string,
): Promise<Value> {
  return explainFailures(folder, async () => {
    const gateway = await openReading(folder, channel);
    try {
      return await read(gateway);
    } finally {
      await gateway.close();
    }
  });
}
