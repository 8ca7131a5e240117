import type { Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import type { LinkCondition, MachineLink } from '../definition.ts';
import { badLinkCondition } from '../diagnostics/links.ts';
import { type Placed, optionalText } from './fields.ts';

export function readLink({ value: fields, at }: Placed, report: Report): MachineLink {
  return {
    source_machine_key: optionalText(fields['source_machine_key']),
    target_machine_key: optionalText(fields['target_machine_key']),
    condition: readLinkCondition(fields, at, report),
    is_auto_advance: fields['is_auto_advance'] === true,
    at,
  };
}

function readLinkCondition(
  fields: Record<string, unknown>,
  at: Path,
  report: Report,
): LinkCondition | undefined {
  const type = optionalText(fields['condition_type']) || 'always';
  const value = fields['condition_value'];
  const word = typeof value === 'string' ? value.trim().toUpperCase() : value;
  const refuse = (complaint: string, field: string) => {
    const path = Object.hasOwn(fields, field) ? [...at, field] : at;
    const about = ['condition_type', 'condition_value'].map((name) => [...at, name]);
    report(badLinkCondition(complaint), path, { about });
    return undefined;
  };
  switch (type) {
    case 'always':
      return { type };
    case 'outcome':
      return word === 'ACCEPT' || word === 'REJECT' || word === 'KICK_OUT'
        ? { type, value: word }
        : refuse('needs an outcome', 'condition_value');
    case 'score_gte':
    case 'score_lte': {
      const number = typeof value === 'number' ? value : Number(word === '' ? NaN : word);
      return Number.isFinite(number) && value !== null && value !== undefined
        ? { type, value: number }
        : refuse('needs a number', 'condition_value');
    }
    default:
      return refuse(`has the unknown type "${type}"`, 'condition_type');
  }
}
