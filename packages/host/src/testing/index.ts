export { Chance } from './chance.ts';
export {
  chartOf,
  opinionWorkflow,
  orderInput,
  type OrderOptions,
  orderWorkflow,
} from './definitions.ts';
export { changedByFailures, type RepeatableConversation } from './failed-turns.ts';
export { type Fixture, fixturesIn } from './fixtures.ts';
export { golden } from './golden.ts';
export { fillAtRandom } from './random-records.ts';
export { everythingIn } from './store-contract/random-writes.ts';
export { storeContract, type StoreContractOptions } from './store-contract.ts';
export * from '../transcript.ts';
export { limitToolCalls } from '../admission/limit-tool-calls.ts';
export { breakCircuits } from '../circuits/break-circuits.ts';
export { memoryPorts } from '../memory/memory-ports.ts';
export { spendingPorts } from '../spending/spending-ports.ts';
export { virtualClock, type VirtualClock } from '../clock/virtual.ts';
export { chaptersOfStores, hostContract } from './host-contract.ts';
export type { ContractOptions, HostContractOptions, HostPlace } from './host-contract/stage.ts';
export { rehearsalBehaviour, rehearsalCharts } from './host-contract/rehearsal.ts';
export { HostStage, until } from './host-contract/stage.ts';
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
} from './stored-lines.ts';
export { filesWith, plantedTexts } from './files-with.ts';
export { overriding } from '../store/overriding.ts';
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
} from './stand-in-server.ts';
