import type { Attributes } from '@opentelemetry/api';

/** The instruments of the metrics, with their units. Names and buckets of `gen_ai.*` are those of the conventions. */
export const instruments = {
  'gen_ai.client.token.usage': {
    unit: '{token}',
    description: 'Tokens of the calls to models.',
    buckets: [
      1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
    ],
  },
  'gen_ai.client.operation.duration': {
    unit: 's',
    description: 'How long calls to models, agents and tools took.',
    buckets: [
      0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ],
  },
  'dramaturg.turn.duration': {
    unit: 's',
    description: 'How long turns took.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
  },
  'dramaturg.delivery.duration': {
    unit: 's',
    description: 'How long messages waited until their channel had accepted them.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 1800],
  },
  'dramaturg.decision.duration': {
    unit: 's',
    description: 'How long questions to people were open.',
    buckets: [1, 10, 60, 300, 900, 3600, 14400, 86400, 604800],
  },
  'dramaturg.turns': { unit: '{turn}', description: 'Turns that have ended.' },
  'dramaturg.call.retries': { unit: '{retry}', description: 'Failed calls that are made again.' },
  'dramaturg.cost': {
    unit: '{currency}',
    description: 'What calls have cost, in the currency of the prices.',
  },
} as const;

export type InstrumentName = keyof typeof instruments;

export interface Measurement {
  readonly instrument: InstrumentName;
  readonly value: number;
  readonly attributes: Attributes;
}
