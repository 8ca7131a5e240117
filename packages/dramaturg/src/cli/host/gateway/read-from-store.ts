import type { ReadingGateway } from './gateway.ts';
import { explainFailures } from './explain-failures.ts';
import { openReading } from './open-gateway.ts';

/**
 * Reads something from a store. No instance continues because of the read.
 *
 * @param channel the channel that defines the form of the command's contact
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
