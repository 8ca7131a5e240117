import { storeContract } from '@dramaturg/testing';
import { describeWithPostgres, newStore } from './place.ts';

describeWithPostgres('a store in Postgres', () => {
  storeContract(newStore);
});
