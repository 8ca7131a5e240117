import { memoryStore } from '../../src/store/memory.ts';
import { storeContract } from '../../src/testing/store-contract.ts';

storeContract(memoryStore);
