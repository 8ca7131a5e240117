import { memoryStore } from '../../src/store/memory.ts';
import { storeContract } from '@dramaturg/testing';

storeContract(memoryStore);
