// Package kubernetes holds the overlays against what an operator relies on: each is built
// as `kubectl apply -k` builds it, every object is decoded strictly into its official type,
// and the invariants are asked of the result. What a cluster itself says is accept.sh's.
//
// An invariant is a check with the ways to break it; TestInvariants_noticeABreak applies each
// of them and wants to be told, so that none of the checks is blind.
package kubernetes
