import {
  type Port,
  type PortCall,
  PortError,
  type PortInput,
  type PortName,
  type PortOutput,
} from '@dramaturg/compiler';
import { Spending } from './spending.ts';

/** A call of a port, for which models are asked. */
export interface Asking {
  readonly port: PortName;
  readonly key: string;
  readonly call: PortCall;
  /** The id of the conversation that the call is about, if any. */
  readonly conversation?: string | undefined;
  /** The cost so far, of all attempts. */
  readonly spending: Spending;
}

type PaidPort = Exclude<PortName, 'requestDecision' | 'timer'>;

/** Makes a port that reports the cost of its answer, also of a failure. */
export function paidPort<Name extends PaidPort>(
  port: Name,
  answer: (input: PortInput<Name>, asking: Asking) => Promise<PortOutput<Name>>,
): Port<Name> {
  return async (input, call) => {
    const spending = new Spending();
    try {
      const conversation = 'transcript' in input ? input.transcript.conversation : undefined;
      const output = await answer(input, { port, key: input.key, call, conversation, spending });
      const { usage } = spending;
      return usage === undefined ? output : { ...output, usage };
    } catch (error) {
      const { usage } = spending;
      throw usage === undefined ? error : costly(error, port, usage);
    }
  };
}

function costly(error: unknown, port: PortName, usage: Spending['usage']): PortError {
  if (error instanceof PortError) {
    const { code, message, cause } = error;
    return new PortError(code, error.port, message, { cause, usage });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new PortError('port/failed', port, `The port "${port}" failed: ${reason}`, {
    cause: error,
    usage,
  });
}
