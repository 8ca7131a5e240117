export const secret = 'a secret of the tests with 32 characters';
export const identitySecret = 'another secret, of the site of the customer';
