import { reservedIds } from '../definition.ts';
import { reservedId } from '../diagnostics/states.ts';
import { duplicateField, impossibleDefault, selectWithoutOptions } from '../diagnostics/tasks.ts';
import type { PlanRule } from './rule.ts';

/** Reports duplicate or reserved field ids, selects without options, and defaults that are not an option. */
export const wrongSessionFields: PlanRule = ({ definition, report }) => {
  const seen = new Set<string>();
  for (const { id, type, options, default_value: value, at } of definition.session_context) {
    if (seen.has(id)) report(duplicateField(id), [...at, 'id']);
    seen.add(id);
    if (reservedIds.includes(id)) report(reservedId('id of a session field', id), [...at, 'id']);
    if (type !== 'select') continue;
    if (options.length === 0) report(selectWithoutOptions(id), at, { about: [[...at, 'options']] });
    else if (value !== undefined && value !== '' && !options.includes(value as string)) {
      const possible = `one of ${options.map((option) => `"${option}"`).join(', ')}`;
      report(impossibleDefault(id, JSON.stringify(value), possible), [...at, 'default_value']);
    }
  }
};
