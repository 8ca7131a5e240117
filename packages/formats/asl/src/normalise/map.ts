import type { ValueSource, ItemBatcher, MapState, StateBase } from '../definition/index.ts';
import { dialects } from '../dialect.ts';
import { partOf, type Part } from '../authored.ts';
import {
  readValueSource,
  isAny,
  isNumber,
  optionalJson,
  optionalObject,
  asRecord,
  optionalString,
} from './fields.ts';
import type { Reading } from './reading.ts';
import { readRecovery } from './retry.ts';
import { readLeads, readResult } from './state.ts';

export function readMap(base: StateBase, authored: Part, reading: Reading): MapState {
  const { value: fields } = authored;
  const amount = (name: string) => readValueSource(authored, name, isNumber, base.QueryLanguage);
  const processor = partOf(authored, 'ItemProcessor') ?? partOf(authored, 'Iterator');
  const { Mode: mode } = asRecord(processor?.value['ProcessorConfig']);
  return {
    ...base,
    ...readResult(authored),
    ...readRecovery(authored, reading),
    ...readLeads(authored),
    Type: 'Map',
    Items: readItems(base, authored),
    ItemSelector: optionalJson(fields['ItemSelector'] ?? fields['Parameters']),
    ItemProcessor: processor && reading.readMachine(processor, reading),
    Mode: mode === 'DISTRIBUTED' ? mode : 'INLINE',
    MaxConcurrency: amount('MaxConcurrency') ?? {
      value: dialects[reading.dialect].mapConcurrency,
      at: base.at,
    },
    ItemBatcher: readBatcher(base, authored),
    ItemReader: optionalObject(fields['ItemReader']),
    ResultWriter: optionalObject(fields['ResultWriter']),
    ToleratedFailureCount: amount('ToleratedFailureCount'),
    ToleratedFailurePercentage: amount('ToleratedFailurePercentage'),
    Label: optionalString(fields['Label']),
  };
}

/** A JSONPath state has its items in its input unless it says where else. */
function readItems(base: StateBase, authored: Part): ValueSource | undefined {
  if (base.QueryLanguage === 'JSONata') return readValueSource(authored, 'Items', isAny, 'JSONata');
  const path = optionalString(authored.value['ItemsPath']);
  return path === undefined ? { path: '$', at: base.at } : { path, at: [...base.at, 'ItemsPath'] };
}

function readBatcher(base: StateBase, authored: Part): ItemBatcher | undefined {
  const batcher = partOf(authored, 'ItemBatcher');
  if (!batcher) return undefined;
  const amount = (name: string) => readValueSource(batcher, name, isNumber, base.QueryLanguage);
  return {
    BatchInput: optionalJson(batcher.value['BatchInput']),
    MaxItemsPerBatch: amount('MaxItemsPerBatch'),
    MaxInputBytesPerBatch: amount('MaxInputBytesPerBatch'),
  };
}
