export { Chance } from './random-records.ts';
export {
  chartOf,
  opinionWorkflow,
  orderInput,
  type OrderOptions,
  orderWorkflow,
} from './definitions.ts';
export { changedByFailures, type RepeatableConversation } from './failed-turns.ts';
export { chartsOfFixtures, type Fixture, fixturesIn } from './golden.ts';
export { golden } from './golden.ts';
export { fillAtRandom } from './random-records.ts';
export { everythingIn } from './store-contract/random-writes.ts';
export { storeContract, type StoreContractOptions } from './store-contract.ts';
export * from './playing.ts';
export { limitToolCalls } from '@dramaturg/host';
export { breakCircuits } from '@dramaturg/host';
export { memoryPorts } from '@dramaturg/host';
export { spendingPorts } from '@dramaturg/host';
export { virtualClock, type VirtualClock } from '@dramaturg/host';
export { chaptersOfStores, hostContract } from './host-contract.ts';
export type { ContractOptions, HostContractOptions, HostPlace } from './host-contract/stage.ts';
export { rehearsalBehaviour, rehearsalCharts } from './host-contract/rehearsal.ts';
export { HostStage, isSlowStep, until } from './host-contract/stage.ts';
export {
  type BeforeOperation,
  type FileOperation,
  SimulatedFiles,
  systemError,
} from './simulated-files.ts';
export {
  differentOrderData,
  type JournalEntry,
  readJournal,
  readTranscript,
} from './definitions.ts';
export { filesWith, plantedTexts } from './store-contract/stage.ts';
export { overriding } from '@dramaturg/host/store';
export { lookalikes, surrounded } from './lookalikes.ts';
export { channelContract } from './channel-contract.ts';
export type {
  ChannelContractOptions,
  ChannelPlace,
  ProviderMessage,
  ProviderRequest,
  Shown,
  Signing,
} from './channel-contract/stage.ts';
export {
  jsonAnswer,
  type StandInAnswer,
  type StandInRequest,
  StandInServer,
  type Trouble,
} from './channel-contract/stage.ts';
export { randomValue, withRandomChange } from './random-records.ts';
export { feedOf, linesInFeed } from './store-contract/feed.ts';
export { aLetter, aRecord } from './store-contract/stage.ts';
