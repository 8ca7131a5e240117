import type { Path } from '@dramaturg/compiler';
import { goalMarker, reservedIds } from '../definition.ts';
import { reservedId } from '../diagnostics/states.ts';
import {
  conflictingTypes,
  duplicateKey,
  duplicateTask,
  enumWithoutValues,
  missingKey,
  requiredInOptional,
  sharedKey,
  sharedTaskId,
} from '../diagnostics/tasks.ts';
import { declarations, deliverablesOf } from '../declarations.ts';
import { whatItIs } from '../value.ts';
import type { PlanRule } from './rule.ts';

/** Task ids are unique in their state. Spec: docs/formats/plan.md#tasks */
export const taskIds: PlanRule = ({ definition, report }) => {
  const elsewhere = new Map<string, string>();
  const told = new Set<string>();
  for (const state of definition.states) {
    const first = new Map<string, Path>();
    for (const { id, at } of state.tasks) {
      if (id === '') continue; // The shape check asks for it.
      const path = [...at, 'id'];
      const earlier = first.get(id);
      const other = elsewhere.get(id);
      if (earlier) {
        report(duplicateTask(id, state.id), path, {
          related: [{ path: earlier, message: 'First declared here.' }],
        });
      } else if (other !== undefined && !told.has(id)) {
        told.add(id);
        report(sharedTaskId(id, other), path);
      }
      first.set(id, earlier ?? path);
      if (reservedIds.includes(id)) report(reservedId('id of a task', id), path);
    }
    for (const { id } of state.tasks) if (!elsewhere.has(id)) elsewhere.set(id, state.id);
  }
};

/** A deliverable has a key that is a name of the author's own. Spec: docs/formats/plan.md#deliverables */
export const deliverableKeys: PlanRule = ({ definition, report }) => {
  for (const { deliverable } of definition.states.flatMap(deliverablesOf)) {
    const { key, at } = deliverable;
    if (key === '') report(missingKey(), at, { about: [[...at, 'key']] });
    if (key === goalMarker || reservedIds.includes(key))
      report(reservedId('key of a deliverable', key), [...at, 'key']);
  }
};

/** A key is one value for the whole conversation: declared twice in a task it is a slip, elsewhere worth knowing. */
export const sharedKeys: PlanRule = ({ definition, report }) => {
  const first = declarations(definition);
  for (const { deliverable, task, state } of definition.states.flatMap(deliverablesOf)) {
    const { key, at } = deliverable;
    const original = first.get(key);
    if (!original || original.deliverable === deliverable || key === '') continue;
    const related = [{ path: original.deliverable.at, message: 'First declared here.' }];
    if (original.state === state && original.task === task) {
      report(duplicateKey(key), at, { related });
    } else if (whatItIs(original.deliverable) !== whatItIs(deliverable)) {
      report(conflictingTypes(key, whatItIs(deliverable), whatItIs(original.deliverable)), at, {
        related,
        follows: [at, original.deliverable.at],
      });
    } else if (original.state !== state) {
      report(sharedKey(key, 'state', original.state.id), at, { related });
    } else if (original.task) {
      report(sharedKey(key, 'task', original.task.id), at, { related });
    }
  }
};

/** An enum lists its values. */
export const enumValues: PlanRule = ({ definition, report }) => {
  for (const { deliverable } of definition.states.flatMap(deliverablesOf)) {
    const { type, enum_values, key, at } = deliverable;
    if (type === 'enum' && enum_values.length === 0)
      report(enumWithoutValues(key), at, { follows: [[...at, 'enum_values']] });
  }
};

/** What is required stands in a task that is. */
export const requiredDeliverables: PlanRule = ({ definition, options, report }) => {
  if (options.completion === 'all') return;
  for (const { deliverable, task } of definition.states.flatMap(deliverablesOf)) {
    if (task && !task.required && deliverable.required) {
      report(requiredInOptional(deliverable.key, task.id), deliverable.at, {
        follows: [deliverable.at, [...task.at, 'required']],
      });
    }
  }
};
