// The answers of the server as its OpenAPI document describes them.

export interface CapabilityRow {
  readonly hook: string;
  readonly capability: string;
  readonly declared: boolean;
  readonly granted: boolean;
  readonly used: number;
  readonly lastUsed?: string;
}

export interface PackageRow {
  readonly package: string;
  readonly version: string;
  readonly integrity: string;
  readonly provenance?: { readonly signature: string; readonly attestation: string };
  readonly consent?: { readonly by?: string; readonly at?: string };
  readonly hooks: readonly string[];
  readonly capabilities: readonly CapabilityRow[];
}

export interface PackageHistory {
  readonly time: string;
  readonly who: string;
  readonly what: string;
  readonly package: string;
  readonly version?: string;
  readonly capabilities?: readonly string[];
}

export interface Finding {
  readonly kind: string;
  readonly weight: 'drift' | 'warning' | 'notice';
  readonly package: string;
  readonly hook?: string;
  readonly detail: string;
}

export interface Packages {
  readonly packages: readonly PackageRow[];
  readonly findings: readonly Finding[];
  readonly history: readonly PackageHistory[];
}
