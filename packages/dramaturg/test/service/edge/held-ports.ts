import { type Ports, understudyPorts } from 'dramaturg';
import { until } from '../../host-cli/processes.ts';

/** A reply that waits for the test. */
export interface HeldReply {
  /** Shows the beginning of its text. */
  readonly begin: (text: string) => void;
  /** Ends it, by default with the text of the understudy. */
  readonly say: (text?: string) => void;
  readonly fail: () => void;
}

/** An agent whose replies wait until the test lets them go. */
export function heldPorts() {
  const ports = understudyPorts();
  const held: HeldReply[] = [];
  const reply: Ports['reply'] = async (input, call) => {
    const text = await new Promise<string | undefined>((resolve, reject) => {
      const fail = () => reject(new Error('Out of order.'));
      held.push({ begin: (begun) => call.onText(begun), say: resolve, fail });
      call.signal.addEventListener('abort', () => reject(new Error('Aborted.')));
    });
    return text === undefined ? ports.reply(input, call) : { text };
  };
  const next = async (): Promise<HeldReply> => {
    await until(async () => held.length > 0);
    return held.shift()!;
  };
  return { ports: { ...ports, reply }, next };
}
