export { type Fixture, fixturesIn } from './fixtures.ts';
export { golden } from './golden.ts';
export { type PlayOptions, playTranscript } from './play.ts';
export { storeContract, type StoreContractOptions } from './store-contract.ts';
export { parseTranscript, significantLines, type Step } from './transcript.ts';
export { virtualClock, type VirtualClock } from '../clock/virtual.ts';
