import { storeContract } from '@dramaturg/testing';
import { scaled } from '../../../.config/scaled.ts';
import { describeWithPostgres, newStore } from './place.ts';

describeWithPostgres('a store in Postgres', () => {
  storeContract(newStore, { share: scaled(10) / 10 });
});
