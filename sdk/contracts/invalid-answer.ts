/** What an adapter's `run` gives in place of a decision when the module's answer has no meaning in its contract. */
export class InvalidAnswer {
  /** What is wrong, in the contract's own words and without the values. */
  readonly detail: string;

  constructor(detail: string) {
    this.detail = detail;
  }
}
