import { modelServer } from '@dramaturg/langchain/testing';

/** A model in a separate process, so its cost is not measured. The model's name contains its latency. */
const text =
  'Thank you, Maria. To look into this I need the number of your account: you find it at the top of every invoice.';

const { baseUrl } = await modelServer(({ model }) => ({
  text,
  delay: Number(model.slice('wait-'.length)),
}));
process.send!(baseUrl);
process.on('disconnect', () => process.exit());
