import { z } from 'zod';
import {
  type Port,
  type PortCall,
  type PortInput,
  type PortName,
  portSchemas,
} from './contract.ts';
import { PortError } from './errors.ts';

/**
 * Asks a port, and checks what it is asked and what it answers against the port's schema.
 *
 * @throws PortError `port/bad-input`, `port/bad-output`, or `port/failed` with what the port threw as its cause
 */
export async function askPort(
  name: PortName,
  port: Port<PortName>,
  input: unknown,
  call: PortCall,
): Promise<unknown> {
  return answerOf(name, port, checkedInput(name, input), call);
}

export function checkedInput(name: PortName, input: unknown): PortInput<PortName> {
  const given = portSchemas[name].input.safeParse(input);
  if (given.success) return given.data;
  throw new PortError(
    'port/bad-input',
    name,
    `The port "${name}" was called with a wrong input: ${z.prettifyError(given.error)}`,
  );
}

export async function answerOf(
  name: PortName,
  port: Port<PortName>,
  input: PortInput<PortName>,
  call: PortCall,
): Promise<unknown> {
  let answer: unknown;
  try {
    answer = await port(input, call);
  } catch (cause) {
    if (cause instanceof PortError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PortError('port/failed', name, `The port "${name}" failed: ${reason}`, { cause });
  }
  const taken = portSchemas[name].output.safeParse(answer);
  if (taken.success) return taken.data;
  throw new PortError(
    'port/bad-output',
    name,
    `The port "${name}" gave a wrong answer: ${z.prettifyError(taken.error)}`,
  );
}
