const files = import.meta.glob<string>('../../../../docs/examples/customer-intake.*', {
  query: '?raw',
  import: 'default',
  eager: true,
});

const read = (fileName: string) => ({
  fileName,
  text: files[`../../../../docs/examples/${fileName}`]!,
});

/** The plan of the documentation. */
export const customerIntake = read('customer-intake.plan.json');

/** The tests of the plan. */
export const customerIntakeTests = read('customer-intake.test.yaml');
