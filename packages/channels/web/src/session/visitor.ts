/** The user of a chat. */
export interface Visitor {
  /** `web:` and a random id, or the contact that the customer's server has signed. */
  readonly contact: string;
  /** The definition that the visitor talks to. */
  readonly definition: string;
  /** Whether the customer's server has signed the identity. */
  readonly isCustomer: boolean;
  /** Given by the customer's server. */
  readonly name?: string;
}
