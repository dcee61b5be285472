/**
 * What can be asked of the StockTrim service, and what comes of it.
 *
 * Reads answer the record, null where there is none, or a list; what fails throws `AmofError`. A change answers how it
 * ended, because "nobody knows" is one of its ends: it is sent once, whatever happens.
 *
 * @module
 */

import type { AmofError } from "../../../base/error.ts";
import type {
  Customer,
  Location,
  ProcessingStatus,
  Product,
  ProductSupplier,
  PurchaseOrder,
  PurchaseOrderStatus,
  SalesOrder,
  Sku,
  Supplier,
} from "./records.ts";

/** How a change ended. */
export type Outcome<T> =
  /** The service said yes; `value` is what it then showed of the record, null where it showed nothing. */
  | { readonly state: "done"; readonly value: T | null }
  /** It was sent and no usable answer came: it may or may not have happened. Never to be sent again. */
  | { readonly state: "unknown"; readonly error: AmofError }
  /** The service refused or failed, or was never reached: it did not say that anything was changed. */
  | { readonly state: "failed"; readonly error: AmofError };

/** One page of a list that the service gives out in pages. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Whether there may be another page behind it. */
  readonly more: boolean;
}

/** What is stored of a product: members that are left out keep what is stored. */
export interface ProductInput {
  readonly productId: string;
  readonly productCodeReadable?: string;
  readonly name?: string;
  readonly category?: string;
  readonly subCategory?: string;
  /** From 0 to 1. */
  readonly serviceLevel?: number;
  readonly leadTime?: number;
  readonly forecastPeriod?: number;
  readonly minimumOrderQuantity?: number;
  readonly cost?: number;
  readonly price?: number;
  readonly supplierCode?: string;
  /** All of them: this list takes the place of the stored one. */
  readonly suppliers?: readonly ProductSupplier[];
  readonly discontinued?: boolean;
  readonly unstocked?: boolean;
  readonly ignoreSeasonality?: boolean;
}

/** What is stored of a supplier: members that are left out keep what is stored. */
export interface SupplierInput {
  readonly supplierCode: string;
  readonly supplierName?: string;
  readonly emailAddress?: string;
  readonly primaryContactName?: string;
  readonly defaultLeadTime?: number;
  readonly streetAddress?: string;
  readonly addressLine1?: string;
  readonly addressLine2?: string;
  readonly state?: string;
  readonly country?: string;
  readonly postCode?: string;
}

/** A new location. */
interface LocationInput {
  readonly locationCode: string;
  readonly locationName: string;
}

/** The stock of a product, as a whole or at one location. */
interface InventoryInput {
  readonly productId: string;
  readonly stockOnHand?: number;
  readonly stockOnOrder?: number;
  readonly locationCode?: string;
  readonly locationName?: string;
}

/** A new purchase order, or with the `clientReferenceNumber` of one that exists its new contents. */
interface PurchaseOrderInput {
  readonly supplierCode: string;
  readonly supplierName?: string;
  readonly lines: readonly {
    readonly productId: string;
    readonly quantity: number;
    readonly unitPrice?: number;
  }[];
  /** ISO 8601. */
  readonly orderDate?: string;
  readonly locationCode?: string;
  readonly locationName?: string;
  readonly referenceNumber?: string;
  readonly clientReferenceNumber?: string;
  readonly status?: PurchaseOrderStatus;
}

/** A sale of one product; with the `externalReferenceId` of one that exists its new contents. */
interface SalesOrderInput {
  readonly productId: string;
  /** ISO 8601. */
  readonly orderDate: string;
  readonly quantity: number;
  readonly unitPrice?: number;
  readonly externalReferenceId?: string;
  readonly locationCode?: string;
  readonly locationName?: string;
  readonly customerCode?: string;
  readonly customerName?: string;
}

/** Which rows of the order plan, one value each. */
export interface OrderPlanFilter {
  readonly searchString?: string;
  readonly category?: string;
  readonly location?: string;
  readonly supplier?: string;
  readonly currentStatus?: "Current" | "Discontinued" | "All";
}

/** For what purchase orders are made of the order plan; there is no category here. */
interface PurchasePlanFilter {
  readonly searchString?: string;
  readonly currentStatus?: "Current" | "Discontinued" | "All";
  readonly locationCodes?: readonly string[];
  readonly supplierCodes?: readonly string[];
}

/** The service, for one call: it has one deadline for everything that is asked of it. Pages count from 0. */
export interface StockTrim {
  readonly products: {
    /** The one whose code or id is exactly this. Two of them are refused, so that none is taken for the other. */
    get(code: string): Promise<Product | null>;
    /** 50 at a time. */
    page(page: number): Promise<Page<Product>>;
    /** Writes over a product with the same id: look first. */
    save(input: ProductInput): Promise<Outcome<Product>>;
    delete(productId: string): Promise<Outcome<never>>;
  };
  readonly customers: {
    get(code: string): Promise<Customer | null>;
    /** All of them, in one answer; thousands were seen. */
    list(): Promise<readonly Customer[]>;
  };
  readonly suppliers: {
    get(code: string): Promise<Supplier | null>;
    list(): Promise<readonly Supplier[]>;
    /** Writes over a supplier with the same code: look first. */
    save(input: SupplierInput): Promise<Outcome<Supplier>>;
    delete(codeOrName: string): Promise<Outcome<never>>;
  };
  readonly locations: {
    get(code: string): Promise<Location | null>;
    list(): Promise<readonly Location[]>;
    create(input: LocationInput): Promise<Outcome<Location>>;
  };
  readonly inventory: {
    set(input: InventoryInput): Promise<Outcome<never>>;
  };
  readonly purchaseOrders: {
    /** The one with this reference, the service's or the client's. */
    get(reference: string): Promise<PurchaseOrder | null>;
    page(query: {
      readonly page: number;
      /** 10 where it is absent. */
      readonly pageSize?: number;
      readonly status?: PurchaseOrderStatus;
    }): Promise<Page<PurchaseOrder>>;
    /** Writes over an order with the same `clientReferenceNumber`: look first. */
    create(input: PurchaseOrderInput): Promise<Outcome<PurchaseOrder>>;
    delete(reference: string): Promise<Outcome<never>>;
    /** Makes draft orders of what the order plan recommends. */
    generate(filter: PurchasePlanFilter): Promise<Outcome<readonly PurchaseOrder[]>>;
  };
  readonly salesOrders: {
    /** Those of one product; of all products where none is named. */
    list(productId?: string): Promise<readonly SalesOrder[]>;
    create(input: SalesOrderInput): Promise<Outcome<SalesOrder>>;
    /** Deletes all orders of one product. */
    deleteOfProduct(productId: string): Promise<Outcome<never>>;
  };
  readonly orderPlan: {
    page(
      filter: OrderPlanFilter,
      page: number,
      perPage: number,
    ): Promise<Page<Sku>>;
  };
  readonly forecast: {
    /** Starts a calculation. */
    run(): Promise<Outcome<never>>;
    status(): Promise<ProcessingStatus>;
  };
}
