import { personalDataKinds } from '../data/personal-data.ts';
import type {
  GuardrailAction,
  GuardrailRule,
  Guardrails,
  GuardrailSide,
} from '../definition/guardrails.ts';
import {
  numberOf,
  objectOf,
  partOf,
  type Placed,
  type Reading,
  records,
  texts,
  textOf,
} from './fields.ts';

export function readGuardrails(placed: Placed, reading: Reading): Guardrails | undefined {
  const part = partOf(placed, 'Guardrails');
  return (
    part && {
      Input: readSide(partOf(part, 'Input'), reading),
      Output: readSide(partOf(part, 'Output'), reading),
    }
  );
}

function readSide(placed: Placed | undefined, reading: Reading): GuardrailSide | undefined {
  if (!placed) return undefined;
  const { value: fields, at } = placed;
  const retries = numberOf(fields['MaxRetries']);
  const unlessSaid = readAction(fields['OnFail']) ?? (retries === undefined ? 'block' : 'retry');
  const validator = textOf(fields['Validator']);
  const judge: GuardrailRule[] =
    validator === undefined
      ? []
      : [
          {
            type: 'custom',
            agent: validator,
            name: validator,
            action: unlessSaid,
            at: [...at, 'Validator'],
          },
        ];
  const rules = records(placed, 'Rules', reading).flatMap((rule) => {
    const kind = readRule(rule, reading);
    if (!kind) return [];
    const name = textOf(rule.value['Name']) ?? kind.type;
    const action = readAction(rule.value['Action']) ?? unlessSaid;
    return [{ ...kind, name, action, at: rule.at } as GuardrailRule];
  });
  return { rules: [...judge, ...rules], retries: retries ?? 3 };
}

function readAction(written: unknown): GuardrailAction | undefined {
  switch (written) {
    case 'reject':
    case 'fail_state':
      return 'block';
    case 'flag':
      return 'warn';
    case 'block':
    case 'redact':
    case 'mask':
    case 'warn':
    case 'retry':
      return written;
    default:
      return undefined;
  }
}

/** What a rule looks for; undefined when what it needs is not there, which a rule of ours reports. */
function readRule(rule: Placed, reading: Reading) {
  const { value: fields } = rule;
  switch (fields['Type']) {
    case 'length':
      return {
        type: 'length',
        max: numberOf(fields['Max']) ?? Infinity,
        min: numberOf(fields['Min']) ?? 0,
      };
    case 'pattern':
      return { type: 'pattern', texts: texts(rule, 'Block', reading) };
    case 'regex': {
      const pattern = textOf(fields['Pattern']);
      return pattern === undefined ? undefined : { type: 'regex', pattern };
    }
    case 'schema': {
      const schema = objectOf(fields['Schema']);
      return schema && { type: 'schema', schema };
    }
    case 'pii': {
      const kinds = texts(rule, 'Detect', reading);
      return { type: 'pii', kinds: kinds.length > 0 ? kinds : personalDataKinds };
    }
    case 'semantic': {
      const check = textOf(fields['Check']);
      return check === undefined ? undefined : { type: 'semantic', check };
    }
    case 'custom': {
      const agent = textOf(fields['Agent']);
      return agent === undefined ? undefined : { type: 'custom', agent };
    }
    default:
      return undefined;
  }
}
