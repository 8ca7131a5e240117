import { operationOf, type usageOf } from './call-span.ts';
import { attributes as names } from './conventions.ts';
import type { Measurement } from './measurement.ts';
import type { OpenSpan } from './span.ts';
import { type Event, text, type TraceContext, type TracedInstance } from './traced.ts';

/** Measurements of the calls of an instance. */

type Definition = Pick<TracedInstance, 'definition'>;
type Provider = Pick<TraceContext, 'provider'>;

/** The tokens and the cost that a call has reported. */
export function consumptionOf(
  event: Event,
  { model, inputTokens, outputTokens, cost }: ReturnType<typeof usageOf>,
  { definition }: Definition,
  { provider }: Provider,
): Measurement[] {
  const attributes = {
    [names.operation]: operationOf(text(event['port'])) ?? 'invoke_agent',
    [names.provider]: provider,
    'dramaturg.definition': definition.name,
    ...(model === undefined ? {} : { [names.responseModel]: model }),
  };
  const tokens = Object.entries({ input: inputTokens, output: outputTokens }).map(
    ([type, value]): Measurement => ({
      instrument: 'gen_ai.client.token.usage',
      value,
      attributes: { ...attributes, [names.tokenType]: type },
    }),
  );
  const all: Measurement[] = [...tokens, { instrument: 'dramaturg.cost', value: cost, attributes }];
  return all.filter(({ value }) => value > 0);
}

/** The duration of a call that has an operation or was a decision. */
export function durationOf(
  span: OpenSpan,
  at: number,
  { definition }: Definition,
  { provider }: Provider,
): Measurement[] {
  const value = Math.max(0, at - span.startedAt) / 1000;
  const common = { 'dramaturg.definition': definition.name };
  const operation = span.attributes[names.operation];
  const model = span.attributes[names.responseModel];
  if (operation !== undefined)
    return [
      {
        instrument: 'gen_ai.client.operation.duration',
        value,
        attributes: {
          ...common,
          ...(span.error ? { [names.errorType]: span.error.type } : {}),
          [names.operation]: operation,
          [names.provider]: provider,
          ...(model === undefined ? {} : { [names.responseModel]: model }),
        },
      },
    ];
  if (span.type !== 'decision') return [];
  const outcome = text(span.attributes['dramaturg.call.outcome']);
  return [
    {
      instrument: 'dramaturg.decision.duration',
      value,
      attributes: { ...common, 'dramaturg.call.outcome': outcome },
    },
  ];
}

/** Measures a repeated call of a port. */
export function retryOf({ definition }: Definition, port: string): Measurement {
  const attributes = { 'dramaturg.definition': definition.name, 'dramaturg.port': port };
  return { instrument: 'dramaturg.call.retries', value: 1, attributes };
}
