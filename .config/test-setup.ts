import fc from 'fast-check';

/** Properties are tried with the same values in every run. `TEST_SEED=7 npm test` tries others. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['TEST_SEED'] ?? 1) });
