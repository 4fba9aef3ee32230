import { adaptModule, refusalIn, type Contracts } from '../../sdk/contracts.ts';

/** Every contract, for isolates whose hook has another shape than the native one. */
export const contracts: Contracts = { adaptModule, refusalIn };
