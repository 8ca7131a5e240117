import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { NodeMeta } from '@dramaturg/compiler/chart';
import type {
  FailedItems,
  ItemView,
  RunFailure,
  ItemDescription,
} from '@dramaturg/compiler/machine';
import { type Progress, visitOf, type WorkflowContext } from '../context.ts';
import type { MapVisit } from '../kinds/map/program.ts';
import { mapRunNames } from '../flow/map-run.ts';
import type { ItemOutput } from '../flow/result-writer.ts';
import { stateId } from '../names.ts';
import { redactedData } from './audit.ts';
import type { SharedByItems } from './workflow.ts';

/** Describes the items of Maps for people. */

/** The items of the Maps that failed because of an item, or could not write their results. */
export function failedItems(context: WorkflowContext): FailedItems[] {
  return Object.entries(context).flatMap(([machine, value]) => {
    if (!isRecord(value) || !isRecord(value['visit'])) return [];
    const progress = value as unknown as Progress;
    const { map, mapRun, ended, writing } = visitOf<MapVisit>(progress);
    const results = (ended ?? writing?.ended)?.results;
    if (!progress.failure || !map || !results) return [];
    const { execution, place } = context;
    const items = results.map((output, index): ItemView => {
      const item = map.inputs[index]!;
      if (output === null) return { index, item, status: 'waiting' };
      const isSucceeded = (output as unknown as ItemOutput).status === 'succeeded';
      return { index, item, status: isSucceeded ? 'succeeded' : 'failed', output };
    });
    const shared = { execution, ...(mapRun && { mapRun }) } as unknown as JsonObject;
    return [{ at: { node: stateId({ machine }, progress.state), place }, shared, items }];
  });
}

export function describeItem(
  { index, item, output: told }: ItemView,
  shared: JsonObject,
  root: NodeMeta,
): ItemDescription {
  const { execution, mapRun } = shared as unknown as SharedByItems;
  const child = mapRun && mapRunNames(execution, mapRun).child(index);
  const { input } = redactedData(root, { input: item });
  const outcome = told as unknown as (ItemOutput & { readonly at?: RunFailure['at'] }) | undefined;
  const { startedAt, stoppedAt } = outcome ?? {};
  return {
    ...(child && { id: child.Id, name: child.Name }),
    input: input!,
    ...(outcome?.status === 'succeeded' && redactedData(root, { output: outcome.output })),
    ...(outcome?.status === 'failed' && {
      failure: {
        error: outcome.error ?? null,
        cause: outcome.cause ?? null,
        ...(outcome.at && { at: outcome.at }),
      },
    }),
    ...(startedAt !== undefined && { startedAt }),
    ...(stoppedAt !== undefined && { stoppedAt }),
  };
}
