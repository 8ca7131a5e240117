import type { DeliveryEvent } from './event.ts';
import type { StepInput } from './step-input.ts';

/** W3C Trace Context, section 3.2: version, trace id, parent id and flags. Later versions may have more fields. */
const pattern =
  /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(-[\x21-\x7e]{1,100})?$/;

/** Whether a value is a `traceparent`. Version 00 has no further fields. */
export function isTraceparent(text: unknown): text is string {
  return (
    typeof text === 'string' && pattern.test(text) && !(text.startsWith('00') && text.length > 55)
  );
}

/** The event of a step whose input was sent within a trace. */
export function traceLinked(input: StepInput): DeliveryEvent | undefined {
  if (input.type === 'instance.started') {
    const { traceparent } = input.birth;
    return traceparent === undefined
      ? undefined
      : { type: 'trace.linked', of: 'start', traceparent };
  }
  if (input.type !== 'event.taken' || input.event.type !== 'message.received') return undefined;
  const { traceparent } = input.event;
  return isTraceparent(traceparent)
    ? { type: 'trace.linked', of: 'message', traceparent }
    : undefined;
}
