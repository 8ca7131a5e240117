import type { Given, ItemBatcher, MapState, StateBase } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import {
  given,
  isAny,
  isNumber,
  jsonOf,
  objectOf,
  partOf,
  type Placed,
  type Reading,
  record,
  textOf,
} from './fields.ts';
import { readRecovery } from './retry.ts';
import { readLeads, readResult } from './state.ts';

export function readMap(base: StateBase, placed: Placed, reading: Reading): MapState {
  const { value: fields } = placed;
  const amount = (name: string) => given(placed, name, isNumber, base.QueryLanguage);
  const processor = partOf(placed, 'ItemProcessor') ?? partOf(placed, 'Iterator');
  const { Mode: mode } = record(processor?.value['ProcessorConfig']);
  return {
    ...base,
    ...readResult(placed),
    ...readRecovery(placed, reading),
    ...readLeads(placed),
    Type: 'Map',
    Items: readItems(base, placed),
    ItemSelector: jsonOf(fields['ItemSelector'] ?? fields['Parameters']),
    ItemProcessor: processor && reading.readMachine(processor, reading),
    Mode: mode === 'DISTRIBUTED' ? mode : 'INLINE',
    MaxConcurrency: amount('MaxConcurrency') ?? {
      value: dialects[reading.dialect].mapConcurrency,
      at: base.at,
    },
    ItemBatcher: readBatcher(base, placed),
    ItemReader: objectOf(fields['ItemReader']),
    ResultWriter: objectOf(fields['ResultWriter']),
    ToleratedFailureCount: amount('ToleratedFailureCount'),
    ToleratedFailurePercentage: amount('ToleratedFailurePercentage'),
    Label: textOf(fields['Label']),
  };
}

/** A JSONPath state has its items in its input unless it says where else. */
function readItems(base: StateBase, placed: Placed): Given | undefined {
  if (base.QueryLanguage === 'JSONata') return given(placed, 'Items', isAny, 'JSONata');
  const path = textOf(placed.value['ItemsPath']);
  return path === undefined ? { path: '$', at: base.at } : { path, at: [...base.at, 'ItemsPath'] };
}

function readBatcher(base: StateBase, placed: Placed): ItemBatcher | undefined {
  const batcher = partOf(placed, 'ItemBatcher');
  if (!batcher) return undefined;
  const amount = (name: string) => given(batcher, name, isNumber, base.QueryLanguage);
  return {
    BatchInput: jsonOf(batcher.value['BatchInput']),
    MaxItemsPerBatch: amount('MaxItemsPerBatch'),
    MaxInputBytesPerBatch: amount('MaxInputBytesPerBatch'),
  };
}
