import { personalDataKinds } from '../data/personal-data.ts';
import type {
  GuardrailAction,
  GuardrailRule,
  Guardrails,
  GuardrailSide,
} from '../definition/guardrails.ts';
import { partOf, type Part } from '../authored.ts';
import {
  optionalNumber,
  optionalObject,
  readObjects,
  readTexts,
  optionalString,
} from './fields.ts';
import type { Reading } from './reading.ts';

export function readGuardrails(authored: Part, reading: Reading): Guardrails | undefined {
  const part = partOf(authored, 'Guardrails');
  return (
    part && {
      Input: readSide(partOf(part, 'Input'), reading),
      Output: readSide(partOf(part, 'Output'), reading),
    }
  );
}

function readSide(authored: Part | undefined, reading: Reading): GuardrailSide | undefined {
  if (!authored) return undefined;
  const { value: fields, at } = authored;
  const retries = optionalNumber(fields['MaxRetries']);
  const unlessSaid = readAction(fields['OnFail']) ?? (retries === undefined ? 'block' : 'retry');
  const validator = optionalString(fields['Validator']);
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
  const rules = readObjects(authored, 'Rules', reading).flatMap((rule) => {
    const kind = readRule(rule, reading);
    if (!kind) return [];
    const name = optionalString(rule.value['Name']) ?? kind.type;
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

/** Reads what a guardrail looks for; undefined when a required field is missing, which a rule reports. */
function readRule(rule: Part, reading: Reading) {
  const { value: fields } = rule;
  switch (fields['Type']) {
    case 'length':
      return {
        type: 'length',
        max: optionalNumber(fields['Max']) ?? Infinity,
        min: optionalNumber(fields['Min']) ?? 0,
      };
    case 'pattern':
      return { type: 'pattern', texts: readTexts(rule, 'Block', reading) };
    case 'regex': {
      const pattern = optionalString(fields['Pattern']);
      return pattern === undefined ? undefined : { type: 'regex', pattern };
    }
    case 'schema': {
      const schema = optionalObject(fields['Schema']);
      return schema && { type: 'schema', schema };
    }
    case 'pii': {
      const kinds = readTexts(rule, 'Detect', reading);
      return { type: 'pii', kinds: kinds.length > 0 ? kinds : personalDataKinds };
    }
    case 'semantic': {
      const check = optionalString(fields['Check']);
      return check === undefined ? undefined : { type: 'semantic', check };
    }
    case 'custom': {
      const agent = optionalString(fields['Agent']);
      return agent === undefined ? undefined : { type: 'custom', agent };
    }
    default:
      return undefined;
  }
}
