import type { JsonObject } from '../json.ts';
import type { Path } from '../path.ts';
import type { ChartTransition } from './chart.ts';

/** An operand of a compound condition: a part that has no conditions within it. */
export interface ChartOperand {
  /** Where it is in the definition. It distinguishes the operands of a transition. */
  readonly origin: Path;
  /** As people say it. */
  readonly description: string;
}

/**
 * The operands of a condition, for `meta.operands` of its transition. A condition with a single operand has none: it counts as a
 * whole.
 */
export function operandsMeta(operands: readonly ChartOperand[]): {
  readonly operands?: readonly JsonObject[];
} {
  if (operands.length < 2) return {};
  return { operands: operands.map(({ origin, description }) => ({ origin, description })) };
}

/** The operands of a transition's condition. */
export function operandsOf({ meta }: Pick<ChartTransition, 'meta'>): readonly ChartOperand[] {
  return (meta?.['operands'] ?? []) as unknown as readonly ChartOperand[];
}
